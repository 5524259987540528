export { Upkeep, type Retention } from './upkeep.js';
