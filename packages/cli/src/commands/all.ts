// All commands.

/**
 * `overview.ts` lists them too. Each is loaded on demand: loading all of them would make the start of a service a
 * quarter slower.
 */
export const COMMANDS = new Map(
  Object.entries({
    serve: async () => (await import('./serve.ts')).serveCommand(),
    health: async () => (await import('./health.ts')).healthCommand(),
    keys: async () => (await import('./keys.ts')).keysCommand(),
    deprecated: async () => (await import('./keys.ts')).deprecatedCommand(),
    backup: async () => (await import('./backup.ts')).backupCommand(),
    'check-backup': async () => (await import('./check-backup.ts')).checkBackupCommand(),
    restore: async () => (await import('./backup.ts')).restoreCommand(),
    recovered: async () => (await import('./recovered.ts')).recoveredCommand(),
    migrate: async () => (await import('./migrate.ts')).migrateCommand(),
    copy: async () => (await import('./copy.ts')).copyCommand(),
    pets: async () => (await import('./pets.ts')).petsCommand(),
    orders: async () => (await import('./orders.ts')).ordersCommand(),
    sell: async () => (await import('./orders.ts')).sellCommand(),
    inventory: async () => (await import('./pets.ts')).inventoryCommand(),
    events: async () => (await import('./events.ts')).eventsCommand(),
    login: async () => (await import('./login.ts')).loginCommand(),
    logout: async () => (await import('./login.ts')).logoutCommand(),
    status: async () => (await import('./status.ts')).statusCommand(),
    open: async () => (await import('./status.ts')).openCommand(),
    verify: async () => (await import('./verify.ts')).verifyCommand(),
    demo: async () => (await import('./demo.ts')).demoCommand(),
  }),
)
