export { createSagaApp } from './create-app.js';
export { SagaProcess } from './saga-process.js';
