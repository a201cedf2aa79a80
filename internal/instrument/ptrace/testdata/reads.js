const fs = require('fs');
const calls = {
  'Date.now': () => Date.now(),
  'performance.now': () => performance.now(),
  'hrtime.bigint': () => process.hrtime.bigint(),
};
for (const name in calls) {
  const call = calls[name], path = '/timebench-mark/' + name;
  fs.existsSync('/'); call();
  for (let i = 0; i < Number(process.argv[2]); i++) { fs.existsSync(path); call(); }
}
fs.existsSync('/timebench-mark/end');
