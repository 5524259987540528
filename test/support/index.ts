export { createDatabase, createMigratedDatabase, type TestDatabase } from './database.js';
export { clientOf, startSystem, type Client, type System, type TestWorkspace } from './system.js';
