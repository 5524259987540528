export { profileViolations } from './profile-rules.js';
export { readCii } from './read-cii.js';
export { readUbl } from './read-ubl.js';
export { violations } from './rules.js';
export type { Terms } from './terms.js';
