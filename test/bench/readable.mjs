// How soon a write can be read: POST a customer, then GET it until it is there.
const clients = 16;
const requiredMillis = 50;
const requiredShare = 0.99;

export async function benchReadable(stack, { seconds, rounds, warmUpSeconds }) {
  await run(stack, warmUpSeconds);
  const millis = (await run(stack, seconds * rounds)).sort((a, b) => a - b);
  const at = (share) => millis[Math.min(millis.length - 1, Math.floor(millis.length * share))];
  const within = millis.filter((one) => one <= requiredMillis).length / millis.length;
  return [
    {
      name: `write to readable, ${clients} clients`,
      value: Math.round(within * 10_000) / 100,
      unit: `% within ${requiredMillis} ms`,
      required: `>= ${requiredShare * 100} %`,
      writesPerSecond: Math.round(millis.length / (seconds * rounds)),
      millis: { p50: at(0.5), p99: at(0.99), max: millis.at(-1) },
      passed: within >= requiredShare,
    },
  ];
}

/** From the moment that the POST is sent until a GET has answered with what was written, for each write. */
async function run({ url, headers }, seconds) {
  const end = performance.now() + seconds * 1_000;
  const millis = [];
  const client = async () => {
    while (performance.now() < end) {
      const started = performance.now();
      const written = await fetch(`${url}/v1/customers`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ name: 'Readable' }),
      });
      if (written.status !== 201)
        throw new Error(`POST /v1/customers: ${written.status} ${await written.text()}`);
      const { id } = await written.json();
      while (!(await isReadable(`${url}/v1/customers/${id}`, headers)));
      millis.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return millis;
}

async function isReadable(url, headers) {
  const answer = await fetch(url, { headers });
  await answer.arrayBuffer();
  return answer.status === 200;
}
