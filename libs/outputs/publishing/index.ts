export { PublishingModule } from './publishing.module.js';
