export { AuditAnchorer } from './anchorer.js';
export { AuditAnchors, type RecordedAnchor } from './anchors.js';
export { CHAIN_START, digestOf, linkHash, nextLink, type ChainLinkOfEntry, type ChainLink } from './chain.js';
export type { AuditAnchor, AuditEvent } from './events.js';
export { AuditEntryReader } from './customer-data.js';
