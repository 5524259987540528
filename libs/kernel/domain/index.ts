export * from './catalog.js';
export * from './decider.js';
export * from './erasure.js';
export * from './event.js';
export * from './quarantine.js';
export * from './vocabulary.js';
