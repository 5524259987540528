export * from './clock.js';
export * from './keyed-digest.js';
export * from './logging.js';
export * from './new-ids.js';
export * from './backoff.js';
export * from './settings.js';
export * from './shared-reading.js';
export * from './concurrency-limit.js';
