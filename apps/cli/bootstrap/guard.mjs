// Runs a program for as long as the process that started us is there, and ends it with that, however it went.
// Arguments: the program and its arguments. We lead a process group of our own, and the program is in it.
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
