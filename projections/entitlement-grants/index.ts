export { EntitlementGrantQueries } from './entitlement-grant-queries.js';
export { EntitlementGrantsReadModule } from './entitlement-grants-read.module.js';
