export { Create{{Name}} } from './commands/create-{{file}}.js';
export type { {{Name}}Details, {{Name}}Event } from './events.js';
export { present{{Name}} } from './present.js';
export { {{name}}Decider, type {{Name}} } from './{{file}}.js';
export { {{Names}}Module } from './{{folder}}.module.js';
