import { Command } from 'nest-commander';
import { CommandGroup } from '../command-group.js';
import { ProjectionsDropOldCommand } from './drop-old.command.js';
import { ProjectionsListCommand } from './list.command.js';
import { ProjectionsRebuildCommand } from './rebuild.command.js';
import { ProjectionsStatusCommand } from './status.command.js';
import { ProjectionsVerifyCommand } from './verify.command.js';

/** Commands below `countinghouse projections`. */
export const projectionsSubCommands = [
  ProjectionsListCommand,
  ProjectionsStatusCommand,
  ProjectionsRebuildCommand,
  ProjectionsVerifyCommand,
  ProjectionsDropOldCommand,
];

/** `countinghouse projections`: the read models, made of the event log. */
@Command({
  name: 'projections',
  description: 'Look at the read models, make them anew, and compare them with the events.',
  subCommands: projectionsSubCommands,
})
export class ProjectionsCommand extends CommandGroup {}
