// Runs before the first paint. A separate file, because the CSP allows no inline scripts.
try {
  const theme = localStorage.getItem('masthead-theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Without storage, use the system theme.
}
