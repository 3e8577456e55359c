"""The outermost layer: hosts, methods, headers, tags, compression, one computation for many."""

import gzip
from typing import Any

import pytest

from equipoise.web.body import body
from equipoise.web.cache import Kept, Responses
from equipoise.web.front import POLICY, allowed_hosts

URLS = (
    "/",
    "/benchmark?benchmark=bert",
    "/api/v1/list?what=rounds",
    "/nothing",
    "/assets/-/web.js",
)


@pytest.mark.parametrize("url", URLS)
def test_every_response_is_protected(client: Any, url: str) -> None:
    for _ in range(2):  # made, and from memory
        headers = client.get(url).headers
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "same-origin"


def test_the_policy_allows_no_inline_code_and_no_other_host() -> None:
    assert "unsafe" not in POLICY
    assert "http" not in POLICY
    assert "default-src 'none'" in POLICY


@pytest.mark.parametrize("host", ["evil.example", "test.evil.example", "", "127.0.0.1.nip.io"])
def test_a_foreign_host_name_is_refused(client: Any, host: str) -> None:
    found = client.get("/", headers={"Host": host})
    assert found.status_code == 421
    assert found.json()["title"]
    assert client.get("/", headers={"Host": "test:8080"}).status_code == 200


def test_hosts_of_a_server() -> None:
    assert "0.0.0.0" not in allowed_hosts("0.0.0.0")
    assert allowed_hosts("10.0.0.5", ["lab.example"])[-2:] == ("10.0.0.5", "lab.example")
    assert "[fe80::1]" in allowed_hosts("fe80::1")


def test_an_address_where_nothing_is_leads_people_on(client: Any) -> None:
    page = client.get("/nothing", headers={"Accept": "text/html,*/*"})
    assert page.status_code == 404
    assert page.headers["content-type"].startswith("text/html")
    assert "There is no such page" in page.text
    assert '<nav class="pages"' in page.text
    assert '<a href="/">' in page.text
    assert "aria-current" not in page.text
    assert "Nothing is at this address" in page.text
    for url in ("/nothing", "/api/v1/nothing"):
        machine = client.get(url, headers={"Accept": "application/json"})
        assert machine.status_code == 404
        assert machine.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_only_reading_is_possible(client: Any, method: str) -> None:
    found = client.request(method, "/api/v1/list?what=rounds")
    assert found.status_code == 405
    assert found.headers["allow"] == "GET, HEAD"
    assert found.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("url", URLS)
def test_head_is_get_without_content(client: Any, url: str) -> None:
    whole, head = client.get(url), client.request("HEAD", url)
    assert head.status_code == whole.status_code
    assert head.content == b""
    assert head.headers["content-type"] == whole.headers["content-type"]


def test_a_known_tag_saves_the_content(client: Any) -> None:
    first = client.get("/benchmark?benchmark=bert")
    again = client.get(
        "/benchmark?benchmark=bert", headers={"If-None-Match": first.headers["etag"]}
    )
    assert again.status_code == 304
    assert again.content == b""
    assert again.headers["etag"] == first.headers["etag"]
    other = client.get("/benchmark?benchmark=bert", headers={"If-None-Match": 'W/"other"'})
    assert other.status_code == 200
    assert first.headers["cache-control"] == "no-cache"


def test_compressed_only_for_those_who_take_it(client: Any) -> None:
    packed = client.get("/benchmark?benchmark=bert", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < len(packed.content) / 4
    for given in ("identity", "gzip;q=0", "br"):
        plain = client.get("/benchmark?benchmark=bert", headers={"Accept-Encoding": given})
        assert "content-encoding" not in plain.headers
        assert plain.content == packed.content


def test_assets_are_kept_for_ever_under_their_hash(client: Any) -> None:
    text = client.get("/").text
    for name in ("style.css", "web.js", "theme.js"):
        start = text.index("/assets/", text.index(name) - 60)
        address = text[start : text.index('"', start)]
        found = client.get(address)
        assert found.status_code == 200
        assert found.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert client.get("/assets/-/style.css").headers["cache-control"] == "no-cache"


def test_an_address_that_is_too_long_is_refused(client: Any) -> None:
    found = client.get("/benchmark?benchmark=bert&find=" + "x" * 9000)
    assert found.status_code == 414


def test_many_who_ask_the_same_wait_for_one_computation(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from equipoise.web import commands

    asked = []
    original = commands.ask
    monkeypatch.setattr(commands, "ask", lambda *given: (asked.append(given), original(*given))[1])
    url = "/api/v1/rank?benchmark=bert&resamples=7&seed=3"
    found = client.together(*[url] * 20)
    assert {response.status_code for response in found} == {200}
    assert len({response.content for response in found}) == 1
    assert len(asked) == 1


def test_the_least_recently_used_response_makes_room() -> None:
    one = body(b"x" * 400, media_type="image/png")
    kept = Responses(limit=1000)
    for key in ("a", "b"):
        kept.keep(key, one)
    assert kept.get("a") is one
    kept.keep("c", one)
    assert kept.get("b") is None
    assert kept.get("a") is one
    kept.keep("big", body(b"x" * 2000, media_type="image/png"))
    assert kept.get("big") is None
    kept.name("address", "a")
    assert kept.named("address") is one
    assert kept.named("other") is None


def test_a_kept_value_is_made_once_and_errors_are_not_kept() -> None:
    kept: Kept[int] = Kept(limit=2)
    calls: list[int] = []

    def make() -> int:
        calls.append(1)
        if len(calls) == 1:
            raise ValueError("the first time")
        return len(calls)

    with pytest.raises(ValueError, match="the first time"):
        kept.get("a", make)
    assert [kept.get("a", make), kept.get("a", make)] == [2, 2]
    kept.get("b", lambda: 0)
    kept.get("c", lambda: 0)
    assert kept.get("a", make) == 3


def test_a_body_knows_its_tag_and_compresses_only_text() -> None:
    text = body("a" * 5000, media_type="text/html; charset=utf-8")
    assert text.compressed is not None
    assert gzip.decompress(text.compressed) == text.content
    assert body("a" * 5000, media_type="image/png").compressed is None
    assert body("short", media_type="text/html").compressed is None
    assert text.tag != body("b" * 5000, media_type="text/html").tag
