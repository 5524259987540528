export { createProjectorApp } from './create-app.js';
export { ProjectorProcess } from './projector-process.js';
