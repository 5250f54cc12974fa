document.querySelector('time').textContent = 'Low water'
