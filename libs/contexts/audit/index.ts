export { auditDecider } from './anchor.js';
export { AuditAnchorer } from './anchorer.js';
export { AuditModule } from './audit.module.js';
export { AuditAnchors, type RecordedAnchor } from './anchors.js';
export { CHAIN_START, digestOf, linkHash, nextLink, type ChainedLink, type ChainLink } from './chain.js';
export type { Anchor, AuditEvent } from './events.js';
