export { GoLive, type GoLiveResult } from './commands/go-live.js';
export { GO_LIVE_CHECKS, GO_LIVE_CHECK_STATUSES, type GoLiveCheck } from './checks.js';
export type { SandboxCatalog } from './catalog-copier.js';
export { COPIED_TYPES, type CatalogCopyResult } from './catalog-copy.js';
export { GoLiveModule } from './go-live.module.js';
