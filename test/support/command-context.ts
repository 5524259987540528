import { newUlid } from '#libs/kernel/system';
import type { CommandContext } from '#libs/kernel/event-store';

/** The context of a new command, sent with an API key on 1 January 2026. It may not be a repetition. */
export function commandContext(more: Partial<CommandContext> = {}): CommandContext {
  return {
    commandId: newUlid(),
    workspaceId: 'acc_1',
    actor: { type: 'api_key', id: 'key_1' },
    correlationId: 'request-1',
    causationId: null,
    now: '2026-01-01T00:00:00.000Z',
    mayRepeat: false,
    ...more,
  };
}
