// The text of `petstore --help`: every command on one screen of 24 lines. `petstore help` adds exit statuses and
// pages.

export const OVERVIEW = `Usage: petstore [options] [command]

Keep the pets of a store, and serve them over HTTP.

Commands:
  serve                 serve the store over HTTP: start here
  status, health        show a service's state; check whether it is ready
  open, demo            open its page in a browser; add sample pets
  login, logout         save its address and an API key; delete them
  pets, orders          list, add, correct, import, export; reserve, take back
  sell                  sell a pet
  inventory, events     count pets by status; show what has happened
  keys, deprecated      manage API keys; show which use deprecated operations
  backup, check-backup  back up the store; check a backup
  restore, recovered    restore a backup; make a restored database safe
  copy, migrate         copy to another store; update the schema
  verify                check which promises a server keeps
  help, completion      settings, pages, exit statuses; shell completions

Options:
  -V, --version         output the version number
  -h, --help            display this help, or the help of a command
`

export const EXIT_STATUSES = `Exit statuses:
  0  done
  1  failed
  2  the command or a flag is wrong; or check-backup or verify could not check
  3  the service did not answer: try again later
  4  the API key is missing, mistyped, rejected or not allowed to do this
  5  an import ended, but some records were rejected
  130  interrupted
`
