export * from './allowance.js';
export * from './auto-top-up.js';
export * from './block-balances.js';
export * from './blocks.js';
export * from './draw-down.js';
export * from './history.js';
