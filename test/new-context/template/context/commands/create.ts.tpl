import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import type { {{Name}}Details } from '../events.js';
import { {{name}}Decider, type {{Name}} } from '../{{file}}.js';

/** Creates a {{words}}. */
export class Create{{Name}} extends Command<{{Name}}> {
  constructor(
    readonly context: CommandContext,
    readonly details: {{Name}}Details,
  ) {
    super();
  }
}

@CommandHandler(Create{{Name}})
export class Create{{Name}}Handler implements ICommandHandler<Create{{Name}}> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, details }: Create{{Name}}): Promise<{{Name}}> {
    const {{name}}Id = idFor(context, '{{idPrefix}}');
    const id = aggregateId(context.workspaceId, {{name}}Id);
    const command = { type: 'Create{{Name}}', at: context.now, {{name}}Id, details } as const;
    return (await this.aggregates.execute({{name}}Decider, id, context, command)).state;
  }
}
