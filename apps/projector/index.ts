export { createProjectorApp } from './create-app.js';
export { projections } from './projections.js';
export { ProjectorProcess } from './projector-process.js';
