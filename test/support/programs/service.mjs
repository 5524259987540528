// A small service that keeps the supervisor's contract, for the supervisor's tests. Arguments say how it misbehaves:
//   stubborn  does not end when asked to
//   broken    fails before it is ready
//   slow      is ready only a second after its start
//   talkative prints a numbered line of a thousand characters every few milliseconds
//   gate=<port> is ready only when the connection that it makes to that port is closed
//   parent=<port>  has a child that holds a connection to that port for as long as it lives
import { spawn } from 'node:child_process';
import { connect } from 'node:net';

const manners = process.argv.slice(2);
const say = (entry) => process.stdout.write(`${JSON.stringify(entry)}\n`);

if (manners.includes('broken')) {
  say({ level: 60, msg: 'the lamp has no oil' });
  process.exit(3);
}
process.on('SIGTERM', () => {
  say({ stopping: process.pid });
  if (!manners.includes('stubborn')) process.exit(0);
});
process.on('disconnect', () => process.exit(0));

const portOf = (word) => manners.find((one) => one.startsWith(`${word}=`))?.slice(word.length + 1);
const parent = portOf('parent');
if (parent)
  spawn(process.execPath, ['-e', `require('node:net').connect(${parent}, '127.0.0.1')`], { stdio: 'ignore' });

let lines = 0;
if (manners.includes('talkative')) setInterval(() => say({ line: ++lines, text: 'x'.repeat(1_000) }), 5);

say({ started: process.pid });
if (process.env.START_HELD === '1') {
  await new Promise((resolve) => process.once('message', resolve));
  say({ let: 'begin' });
}
const ready = () => say({ event: 'listening', service: 'lamp', port: null });
const gate = portOf('gate');
if (gate) connect(Number(gate), '127.0.0.1').resume().once('close', ready);
else if (manners.includes('slow')) setTimeout(ready, 1_000);
else ready();
