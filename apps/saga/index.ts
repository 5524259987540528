export { createSagaApp } from './create-app.js';
