export { deleteMessages } from './delete-messages.js';
export { NatsClient, natsCheck } from './nats-client.js';
export { NatsModule } from './nats.module.js';
export { streamNames, streamManagerOf, ensureStream, type NewStream } from './streams.js';
export { publishLargestForm } from './publish-largest-form.js';
