export { PriceMigrationQueries } from './price-migration-queries.js';
export { PriceMigrationsReadModule } from './price-migrations-read.module.js';
