// Runs a program, and kills it as soon as the parent process has ended, even if the parent was killed.
// Arguments: the program and its arguments. This process leads its own process group, which contains the program.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, {
  stdio: ['ignore', 'ignore', 'inherit'],
  shell: program.endsWith('.cmd'),
});
child.once('error', (error) => {
  process.stderr.write(`${program} could not be run: ${error.message}\n`);
  process.exit(1);
});
child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));

const end = () => {
  if (process.platform !== 'win32') process.kill(-process.pid, 'SIGKILL');
  child.kill('SIGKILL');
  process.exit(1);
};
process.once('disconnect', end);
if (!process.connected) end();
