export { decide, project, react, recordedEvent } from './given-when-then.js';
