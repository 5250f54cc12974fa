/**
 * Words and strings that the most used passwords consist of, in lower case and with letters where people write digits
 * or signs for them ("p@ssw0rd"). Not a word list of a language: whoever guesses tries these first.
 */
export const commonPasswords: readonly string[] = `
abcabc access admin administrator adobe alexander amanda america andrea andrew angel apple arsenal ashley asshole
august austin azerty baby babygirl bailey barbara barcelona baseball basketball batman beautiful biteme blahblah
blessed blink bond boomer brandon bubbles buster butterfly carlos changeme charlie cheese chelsea chicken chocolate
christ computer cookie corvette cowboy dallas daniel default demo diamond dragon eagles eminem enter europe falcon
ferrari fireball flower football forever friday friend friends freedom fuckyou george ginger golfer google guest guitar
hammer hannah happy harley hello hockey hunter iceman iloveyou internet jackson january jasmine jennifer jessica
jesus jonathan jordan joshua july justin killer king knight lakers letmein linkedin liverpool login london lovely
loveme lover lovers loveyou maggie manager master matrix matthew maverick melissa mercedes merlin michael michelle
mickey midnight minecraft monday money monkey monster morgan mother motdepasse mustang mynoob naruto naughty newyork
nicole ninja november october office oliver operator orange pass passw password passwort patrick peanut pepper phoenix
player please pokemon porsche princess private purple qazwsx querty rabbit rainbow rangers redsox robert root samantha
samsung sarah school scooter secret secure september server shadow silver snoopy soccer sophie spider spiderman
starwars steelers sunday sunshine summer superman superuser tennis tequiero test tester testing thomas thunder tigger
tinkerbell toor trustno turtle unknown user username victoria vikings warrior welcome whatever william windows winner
winter wizard yankees yellow zaqwsx zxcasd
`
  .trim()
  .split(/\s+/)
