-- The decision of decide.ts inside Redis, where it is atomic across all nodes. decide-script.ts prepends the constants
-- of policy.ts, and decide-script.test.ts checks that both implementations agree.
--
-- KEYS[1]  a hash with everything about one caller: field w has the usage and reset of both windows, and the id of each
--          key that was warned has its ban state
-- ARGV     limit per minute, limit per day or -1, the key's id or '', violations counted elsewhere, and today's count in
--          the database, or -1 if it was not read yet
-- returns  now, outcome (0 rejected, 1 admitted, 2 banned by this request), the four numbers of the windows and, unless
--          admitted, the eight of the ban state; or now and 3 if there is no count for the caller's day and the database
--          has to be read, because this Redis may have lost its data

local caller, keyId, seenElsewhere = KEYS[1], ARGV[3], tonumber(ARGV[4])
local perMinute, perDay, countedToday = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[5])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local stored = redis.call('HMGET', caller, 'w', keyId)
local minuteUsed, minuteResetAt, dayUsed, dayResetAt = 0, 0, 0, 0
if stored[1] then
  minuteUsed, minuteResetAt, dayUsed, dayResetAt = struct.unpack('<dddd', stored[1])
elseif perDay >= 0 then
  if countedToday < 0 then return { now, 3 } end
  dayUsed, dayResetAt = countedToday, (math.floor(now / dayLength) + 1) * dayLength
end
local opened = false
if now >= minuteResetAt or minuteResetAt > now + minuteLength then
  minuteUsed, minuteResetAt, opened = 0, now + minuteLength, true
end
if now >= dayResetAt or dayResetAt > now + dayLength then
  dayUsed, dayResetAt, opened = 0, (math.floor(now / dayLength) + 1) * dayLength, true
end
local minuteFull = minuteUsed >= perMinute
local dayFull = perDay >= 0 and dayUsed >= perDay

-- Fast path for nearly all requests.
if not (stored[2] or opened or minuteFull or dayFull) and seenElsewhere == 0 then
  minuteUsed, dayUsed = minuteUsed + 1, dayUsed + 1
  redis.call('HSET', caller, 'w', struct.pack('<dddd', minuteUsed, minuteResetAt, dayUsed, dayResetAt))
  return { now, 1, minuteUsed, minuteResetAt, dayUsed, dayResetAt }
end

local warnedUntil, countFrom, excusedUntil, violations, violationsUntil, bannedSince, bannedUntil, step =
  0, 0, 0, 0, 0, 0, 0, 0
if stored[2] then
  warnedUntil, countFrom, excusedUntil, violations, violationsUntil, bannedSince, bannedUntil, step =
    struct.unpack('<dddddddd', stored[2])
end

local function rejected(outcome)
  return { now, outcome, minuteUsed, minuteResetAt, dayUsed, dayResetAt,
    warnedUntil, countFrom, excusedUntil, violations, violationsUntil, bannedSince, bannedUntil, step }
end
if now < bannedUntil then return rejected(0) end

-- Never shortens the expiry: one hash holds windows and bans of different lengths.
local function keepUntil(at)
  local left = redis.call('PTTL', caller)
  if left < 0 or now + left < at then redis.call('PEXPIREAT', caller, string.format('%.0f', at)) end
end

local function saveBanState()
  redis.call('HSET', caller, keyId, struct.pack('<dddddddd',
    warnedUntil, countFrom, excusedUntil, violations, violationsUntil, bannedSince, bannedUntil, step))
  keepUntil(math.max(excusedUntil, violationsUntil, bannedUntil + step * stepForgottenAfter))
end

local function addViolations(count)
  if now < violationsUntil then
    violations = violations + count
  else
    violations, violationsUntil = count, now + violationsWithin
  end
end
if seenElsewhere > 0 then addViolations(seenElsewhere) end

if not minuteFull and not dayFull then
  minuteUsed, dayUsed = minuteUsed + 1, dayUsed + 1
  redis.call('HSET', caller, 'w', struct.pack('<dddd', minuteUsed, minuteResetAt, dayUsed, dayResetAt))
  keepUntil(perDay >= 0 and math.max(minuteResetAt, dayResetAt) or minuteResetAt)
  if seenElsewhere > 0 then saveBanState() end
  return { now, 1, minuteUsed, minuteResetAt, dayUsed, dayResetAt }
end
if keyId == '' then return rejected(0) end

local byMinute = not dayFull or (minuteFull and minuteResetAt > dayResetAt)
local rejectedUntil = byMinute and minuteResetAt or dayResetAt
local changed = seenElsewhere > 0
if warnedUntil ~= rejectedUntil then
  local alreadyExcusedUntil = now >= warnedUntil and excusedUntil or 0
  local latestReturn = rejectedUntil + ((byMinute and minuteJitter or dayJitter) + 1) * 1000
  warnedUntil = rejectedUntil
  countFrom = math.max(alreadyExcusedUntil, now + grace)
  excusedUntil = math.max(alreadyExcusedUntil, latestReturn + grace)
  changed = true
elseif now >= countFrom and now < rejectedUntil - grace then
  addViolations(1)
  changed = true
end

local allowed = math.max(violationsAtLeast, violationsPerMinuteLimit * perMinute)
if changed and now < violationsUntil and violations > allowed then
  local daysWithoutBan = math.max(0, math.floor((now - bannedUntil) / stepForgottenAfter))
  step = math.min(math.max(0, step - daysWithoutBan) + 1, #durations)
  bannedSince, bannedUntil = now, now + durations[step]
  warnedUntil, countFrom, violationsUntil = 0, 0, 0
  excusedUntil = bannedUntil + 1000 + grace
  saveBanState()
  return rejected(2)
end
if changed then saveBanState() end
return rejected(0)
