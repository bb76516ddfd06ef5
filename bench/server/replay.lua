-- Replays prepared requests, so that the generator costs next to nothing. Run with
--   wrk ... -s replay.lua URL -- FILE
-- FILE is a sequence of requests, each after its length and a line end. Prints the figures as one line of JSON.
local requests = {}
local at = 0

function init(args)
  local file = assert(io.open(args[1], "rb"))
  local length = file:read("*n")
  while length do
    file:read(1)
    requests[#requests + 1] = file:read(length)
    length = file:read("*n")
  end
  file:close()
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"p50":%.1f,"p99":%.1f,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
