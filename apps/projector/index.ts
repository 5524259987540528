export { createProjectorApp } from './create-app.js';
export { projections } from './projections.js';
