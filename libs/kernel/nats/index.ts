export { deleteMessages } from './delete-messages.js';
export { NatsClient, natsCheck } from './nats-client.js';
export { NatsModule } from './nats.module.js';
export { existingStream, managerOf, ensureStream, type NewStream } from './streams.js';
