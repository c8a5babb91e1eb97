// All commands, and the text of `petstore --help`.

/** Each is loaded on demand, because loading all of them would make the start of a service a quarter slower. */
export const COMMANDS = new Map(
  Object.entries({
    serve: async () => (await import('./serve.ts')).serveCommand(),
    health: async () => (await import('./status.ts')).healthCommand(),
    keys: async () => (await import('./keys.ts')).keysCommand(),
    deprecated: async () => (await import('./keys.ts')).deprecatedCommand(),
    backup: async () => (await import('./backup.ts')).backupCommand(),
    'check-backup': async () => (await import('./backup.ts')).checkBackupCommand(),
    restore: async () => (await import('./backup.ts')).restoreCommand(),
    recovered: async () => (await import('./recovered.ts')).recoveredCommand(),
    migrate: async () => (await import('./copy.ts')).migrateCommand(),
    copy: async () => (await import('./copy.ts')).copyCommand(),
    pets: async () => (await import('./pets.ts')).petsCommand(),
    orders: async () => (await import('./orders.ts')).ordersCommand(),
    categories: async () => (await import('../categories.ts')).categoriesCommand(),
    sell: async () => (await import('./orders.ts')).sellCommand(),
    inventory: async () => (await import('./pets.ts')).inventoryCommand(),
    events: async () => (await import('./events.ts')).eventsCommand(),
    login: async () => (await import('./login.ts')).loginCommand(),
    logout: async () => (await import('./login.ts')).logoutCommand(),
    status: async () => (await import('./status.ts')).statusCommand(),
    open: async () => (await import('./status.ts')).openCommand(),
    verify: async () => (await import('./verify.ts')).verifyCommand(),
    demo: async () => (await import('./pets.ts')).demoCommand(),
  }),
)

/** Lists every command on one screen of 24 lines. `petstore help` adds exit statuses and pages. */
export const OVERVIEW = `Usage: petstore [options] [command]

Keep the pets of a store, and serve them over HTTP.

Commands:
  serve                 serve the store over HTTP: start here
  status, health        show a service's state; check whether it is ready
  open, demo            open its page in a browser; add sample pets
  login, logout         save its address and an API key; delete them
  pets, orders          list, add, correct, import, export; reserve, take back
  sell, categories      sell a pet; show or set the names of categories
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
