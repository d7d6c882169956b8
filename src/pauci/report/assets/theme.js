// Before anything is drawn: the reader's own choice of light or dark.
document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
