export { LicenseQueries } from './license-queries.js';
export { LicensesReadModule } from './licenses-read.module.js';
