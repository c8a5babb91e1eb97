// What `petstore --help` says: every command on one screen of 24 lines. `petstore help` adds what else there is to read.

export const OVERVIEW = `Usage: petstore [options] [command]

Keep the pets of a store, and serve them over HTTP.

Commands:
  serve                 serve the store over HTTP: begin with this
  status, health        how a running service is; whether it is ready
  open, demo            open its page in a browser; add sample pets to it
  login, logout         save its address and an API key; delete them
  pets, orders          list, add, correct, import, export; reserve, take back
  sell                  sell a pet
  inventory, events     how many pets there are; what has happened
  keys, deprecated      the API keys; which of them call what will be removed
  backup, check-backup  copy the store; check whether a copy is good
  restore, recovered    go back to a copy; make a restored database safe
  copy, migrate         copy to another store; bring the schema up to date
  verify                examine any server: which promises it keeps
  help, completion      guides, settings, exit statuses; completions for a shell

Options:
  -V, --version         output the version number
  -h, --help            display this, or behind a command the help of it
`

export const EXIT_STATUSES = `Exit statuses:
  0  done
  1  could not be done
  2  the command or one of its flags was not understood; or it could not be
     checked (check-backup, verify)
  3  the service did not answer: try again later
  4  no API key was given, it is mistyped, the service refused it, or it may
     not do this
  5  an import ended, and some records were refused
  130  interrupted
`
