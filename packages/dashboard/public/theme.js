// Before the first paint, and outside of the page because the policy allows no inline script.
try {
  const theme = localStorage.getItem('masthead-theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Without storage the theme is that of the system.
}
