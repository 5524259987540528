export { migrateAndGrantRights } from './migrate/migrate.js';
export { type DatabaseRole, databaseRoles, enableLogins } from './migrate/roles.js';
export {
  type EmbeddedPostgresOptions,
  postgresProgram,
  postgresUrl,
  startEmbeddedPostgres,
  urlForRole,
} from './embedded-postgres/index.js';
export {
  describeExit,
  EndedBeforeReadyError,
  type ProcessExit,
  launch,
  type LaunchedProcess,
  type Program,
} from './processes/launch.js';
export { findFreePort } from './processes/ports.js';
export { LogFile } from './start/log-file.js';
export { postgresSettings } from './start/services.js';
export { CliError } from './cli-error.js';
export { verifyWallets, type WalletsVerification } from './credits/wallets.js';
export { verifyUsageLimits, type LimitsVerification } from './usage-limits/limits.js';
