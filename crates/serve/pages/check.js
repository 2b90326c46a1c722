// An image, a bundle or a text, judged by the server and not kept.

import { api, begin, byId, el, fill, listen } from "./common.js";
import { size } from "./numbers.js";
import { StackPicture, findings, verdict } from "./picture.js";

const MOST = 64 * 1048576;

async function check(name, body) {
  const say = (text) => {
    byId("state").textContent = text;
  };
  if (body.size > MOST) {
    say(`${name} has ${size(body.size)}, and ${size(MOST)} are taken here. On its machine: ioalign check ${name}`);
    return;
  }
  say(`checking ${name}`);
  try {
    const report = await api(`/api/v1/check?name=${encodeURIComponent(name)}`, { method: "POST", body });
    const [target] = report.targets;
    fill(byId("verdict"), verdict(target));
    fill(byId("picture"), new StackPicture(target, null).node);
    fill(byId("findings"), findings(target));
    byId("result").hidden = false;
    say("");
    byId("result").scrollIntoView();
  } catch (error) {
    byId("result").hidden = true;
    say(error.message);
  }
}

begin("/check");
const drop = byId("drop");
for (const kind of ["dragenter", "dragover"]) {
  drop.addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
}
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  const [file] = event.dataTransfer.files;
  if (file) check(file.name, file);
});
byId("file").addEventListener("change", (event) => {
  const [file] = event.target.files;
  if (file) check(file.name, file);
});
byId("go").addEventListener("click", () => {
  const text = byId("text").value;
  if (text.trim() === "") byId("state").textContent = "There is no text yet.";
  else check("pasted text", new Blob([text]));
});
listen(() => {});
