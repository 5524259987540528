export { createDatabase, createMigratedDatabase, type TestDatabase } from './database.js';
