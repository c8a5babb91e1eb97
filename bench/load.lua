-- The script of wrk: sends the requests of a file (raw HTTP, separated by NUL) in turn, and prints one JSON object at the
-- end. {nnnn} in the first request becomes a number of six digits, another one each time for 900 000 times.
-- With "audit" as second argument it counts the status of every answer, which costs wrk some of its speed.

local requests = {}
local at = 0

function setup(thread)
  the_thread = thread
end

function init(arguments)
  local file = assert(io.open(arguments[1], "rb"))
  for text in file:read("*a"):gmatch("[^%z]+") do
    requests[#requests + 1] = text
  end
  file:close()
  numbered = requests[1]:find("{nnnn}", 1, true)
  -- From where the run before ended: otherwise short runs would send the same few requests again and again.
  at = tonumber(arguments[3])
  if arguments[2] == "audit" then
    statuses = {}
    response = function(status)
      local name = tostring(status)
      statuses[name] = (statuses[name] or 0) + 1
    end
  end
end

function request()
  at = at + 1
  if numbered then
    return (requests[1]:gsub("{nnnn}", 100000 + at % 900000))
  end
  return requests[(at - 1) % #requests + 1]
end

function done(summary, latency)
  local counted = {}
  for name, count in pairs(the_thread:get("statuses") or {}) do
    counted[#counted + 1] = string.format('"%s":%d', name, count)
  end
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"bytes":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d,"statuses":{%s},'
      .. '"errors":{"status":%d,"connect":%d,"read":%d,"write":%d,"timeout":%d}}\n',
    summary.requests, summary.bytes, summary.duration, latency:percentile(50), latency:percentile(99),
    table.concat(counted, ","), errors.status, errors.connect, errors.read, errors.write, errors.timeout
  ))
end
