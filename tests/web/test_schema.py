"""Requests made up from the OpenAPI document: answers keep to it, nothing breaks the server."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from equipoise.web.app import create_app
from equipoise.web.commands import COMMANDS

schemathesis: Any = pytest.importorskip("schemathesis", reason="schemathesis is not installed")

pytestmark = [pytest.mark.slow, pytest.mark.dashboard]

EXAMPLES = 15
SLOW = ("validate", "study", "study-scaling", "importance", "suggest")
"""Computed for seconds: one made-up request of them proves no more than one of the others."""
QUICK = sorted(set(COMMANDS) - set(SLOW))


@pytest.fixture(scope="module")
def schema(small_catalogue: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        app = create_app(small_catalogue, hosts=("*",), timeout_s=300.0)
        refused = ["400", "404", "405", "414", "422"]  # a made-up query may be too long to read
        config = schemathesis.Config.from_dict(
            {
                "request-timeout": 300,
                "checks": {
                    "positive_data_acceptance": {"expected-statuses": ["2xx", "404", "414", "422"]},
                    "negative_data_rejection": {"expected-statuses": [*refused, "5xx"]},
                },
            }
        )
        yield schemathesis.openapi.from_asgi("/api/v1/openapi.json", app, config=config)


@pytest.mark.parametrize("mode", ["positive", "negative"])
@pytest.mark.parametrize("name", QUICK)
def test_made_up_requests_are_answered_as_documented(schema: Any, name: str, mode: str) -> None:
    operation = schema[f"/api/v1/{name}"]["GET"]
    if mode == "negative" and not operation.query:
        pytest.skip("without parameters nothing can be wrong")
    strategy = operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode))

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        phases=(Phase.generate,),
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy)
    def holds(case: Any) -> None:
        case.call_and_validate()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        holds()
