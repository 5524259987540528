export { decide, project, react, recorded } from './given-when-then.js';
