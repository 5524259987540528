export { deleteMessages } from './delete-messages.js';
export { NatsClient, natsCheck } from './nats-client.js';
export { NatsModule } from './nats.module.js';
export { existingStream, managerOf, streamFor, type NewStream } from './streams.js';
