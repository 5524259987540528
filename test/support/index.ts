export { createDatabase, type TestDatabase } from './database.js';
