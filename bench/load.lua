-- The script of wrk: sends the requests of a file (raw HTTP, separated by NUL) in turn, and prints one JSON object at the end.
-- {nnnn} in the first request becomes a number of six digits, another one each time for 900 000 times.
-- arguments: the file; how many requests were sent before, so that short runs do not send the same few again; a status, to count
-- the answers that have another one, which costs wrk some of its speed

local requests, at, numbered = {}, 0, false
wrong = 0

function setup(thread) the_thread = thread end

function init(arguments)
  local file = assert(io.open(arguments[1], "rb"))
  for text in file:read("*a"):gmatch("[^%z]+") do requests[#requests + 1] = text end
  file:close()
  numbered = requests[1]:find("{nnnn}", 1, true)
  at = tonumber(arguments[2])
  local right = tonumber(arguments[3])
  if right then
    response = function(status)
      if status ~= right then wrong = wrong + 1 end
    end
  end
end

function request()
  at = at + 1
  if numbered then return (requests[1]:gsub("{nnnn}", 100000 + at % 900000)) end
  return requests[(at - 1) % #requests + 1]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"bytes":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d,"wrong":%d,"failed":%d,"late":%d}\n',
    summary.requests, summary.bytes, summary.duration, latency:percentile(50), latency:percentile(99),
    the_thread:get("wrong"), errors.status + errors.connect + errors.read + errors.write, errors.timeout
  ))
end
