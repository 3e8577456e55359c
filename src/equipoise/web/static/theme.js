"use strict";
/* Before anything is painted: the theme that was chosen by hand, and that scripts run. */
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const theme = localStorage.getItem("equipoise-theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch { /* no storage: the theme of the system */ }
})();
