"use strict";
const PAGE = 200;
const STATES = ["pass", "fail", "agent_error", "judge_error", "skipped"];
const byId = (id) => document.getElementById(id);
const rows = byId("rows").textContent.split("\n").filter(Boolean).map((line, place) => {
  const result = JSON.parse(line);
  return { result, place, line: null, source: line };
});
const chosen = new Set();
let shown = PAGE;

// Everything that comes from outside enters the page here, and only as text.
function make(tag, name, text) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined && text !== null) element.textContent = String(text);
  return element;
}

const plain = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

function duration(ms) {
  return ms < 10000 ? Math.round(ms).toLocaleString("en") + " ms" : (ms / 1000).toFixed(0) + " s";
}

const agentMs = (result) => (result.reply && result.reply.latency_ms) || 0;
const judgesMs = (result) => (result.scores || []).reduce((sum, score) => sum + (score.latency_ms || 0), 0);

/* Of agent and judges; of a row whose agent or judge broke on the way, the wall time. */
function rowMs(result) {
  if (!result.reply || result.state === "judge_error") return result.latency_ms || 0;
  return agentMs(result) + judgesMs(result);
}

function took(result) {
  const agent = result.reply && typeof result.reply.latency_ms === "number" ? duration(agentMs(result)) : "unknown";
  return "agent " + agent + ", judges " + duration(judgesMs(result));
}

function inputText(row) {
  if (typeof row.input === "string") return row.input;
  const users = row.input.filter((message) => message.role === "user");
  return users.length ? contentText(users[users.length - 1].content) : "";
}

function contentText(content) {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map((part) => (typeof part === "string" ? part : part.text || "")).join("");
  return content === undefined || content === null ? "" : plain(content);
}

function searched(row) {
  if (row.line === null) row.line = plain(row.result).toLowerCase();
  return row.line;
}

function matching() {
  const low = byId("low").value === "" ? null : Number(byId("low").value);
  const high = byId("high").value === "" ? null : Number(byId("high").value);
  const words = byId("text").value.toLowerCase().trim();
  const found = rows.filter((row) => {
    const score = row.result.score;
    if (chosen.size && !chosen.has(row.result.state)) return false;
    if ((low !== null || high !== null) && (score === undefined || score === null)) return false;
    if (low !== null && score < low) return false;
    if (high !== null && score > high) return false;
    return !words || searched(row).includes(words);
  });
  const order = byId("order").value;
  const scoreOf = (row) => (row.result.score === undefined ? 101 : row.result.score);
  if (order === "score") found.sort((a, b) => scoreOf(a) - scoreOf(b) || a.place - b.place);
  if (order === "slow") found.sort((a, b) => rowMs(b.result) - rowMs(a.result));
  if (order === "id") found.sort((a, b) => a.result.row.id.localeCompare(b.result.row.id, "en", { numeric: true }));
  return found;
}

function section(parent, title) {
  const part = make("div");
  part.append(make("h3", "", title));
  parent.append(part);
  return part;
}

function textBlock(parent, label, text, name) {
  const block = make("div", "text " + (name || ""));
  if (label) block.append(make("b", "", label));
  block.append(document.createTextNode(text));
  parent.append(block);
}

function messageBlock(parent, message) {
  const text = contentText(message.content);
  if (text || !message.tool_calls) textBlock(parent, message.name ? message.role + " " + message.name : message.role, text, message.role);
  for (const call of message.tool_calls || []) callBlock(parent, call);
}

function callBlock(parent, call) {
  const inner = call.function || call;
  textBlock(parent, "calls " + inner.name, plain(inner.arguments || {}), "tool mono");
}

function valueBlocks(parent, title, values) {
  if (values === undefined || values === null || (Array.isArray(values) && !values.length)) return;
  const part = section(parent, title);
  for (const value of Array.isArray(values) ? values : [values]) {
    if (value && typeof value === "object" && typeof value.text === "string") textBlock(part, value.alias || value.title, value.text);
    else textBlock(part, "", plain(value), typeof value === "string" ? "" : "mono");
  }
}

function detail(result) {
  const all = make("div", "detail");
  const row = result.row;
  if (result.message) textBlock(section(all, "Error"), "", result.message);
  if (result.reply) textBlock(section(all, "Time"), "", took(result));
  const asked = section(all, "Asked");
  if (typeof row.input === "string") textBlock(asked, "user", row.input, "user");
  else row.input.forEach((message) => messageBlock(asked, message));
  if (result.reply) {
    const answered = section(all, "Answered");
    if (result.reply.messages) result.reply.messages.forEach((message) => messageBlock(answered, message));
    else textBlock(answered, "assistant", result.reply.text, "assistant");
    for (const call of result.reply.tool_calls || []) callBlock(answered, call);
  }
  for (const score of result.scores || []) {
    const part = section(all, score.rubric + " " + score.score + (score.judge ? " by " + score.judge : ""));
    if (score.reasoning) textBlock(part, "", score.reasoning);
    if (score.extra && Object.keys(score.extra).length) textBlock(part, "", plain(score.extra), "mono");
  }
  if (result.assertions && result.assertions.length) {
    const part = section(all, "Assertions");
    for (const one of result.assertions) {
      const details = one.details && Object.keys(one.details).length ? plain(one.details) : one.passed ? "holds" : "does not hold";
      textBlock(part, (one.passed ? "✓ " : "✗ ") + one.name + (one.reason ? ": " + one.reason : ""), details, "mono");
    }
  }
  valueBlocks(all, "Expected", row.expected);
  valueBlocks(all, "Expected calls", row.expected_tool_calls);
  valueBlocks(all, "Criteria", row.criteria);
  valueBlocks(all, "Passages of the row", row.context);
  valueBlocks(all, "Passages of the reply", result.reply && result.reply.passages);
  valueBlocks(all, "Metadata", row.metadata && Object.keys(row.metadata).length ? [row.metadata] : null);
  return all;
}

function line(row) {
  const result = row.result;
  const element = make("details");
  const head = make("summary");
  head.append(make("span", "state " + result.state, result.state.replace("_", " ")));
  head.append(make("span", "number", result.score === undefined || result.score === null ? "–" : result.score));
  head.append(make("span", "", result.repeat > 1 ? result.row.id + " #" + result.repeat : result.row.id));
  head.append(make("span", "wide soft", inputText(result.row)));
  head.append(make("span", "wide soft", result.reason || ""));
  head.append(make("span", "wide soft number", duration(rowMs(result))));
  element.append(head);
  element.addEventListener("toggle", () => {
    if (element.open && element.childElementCount === 1) element.append(detail(result));
  });
  return element;
}

function draw() {
  const found = matching();
  byId("list").replaceChildren(...found.slice(0, shown).map(line));
  const scored = found.filter((row) => row.result.score !== undefined && row.result.score !== null);
  const judged = found.filter((row) => row.result.state === "pass" || row.result.state === "fail");
  const mean = scored.length ? scored.reduce((sum, row) => sum + row.result.score, 0) / scored.length : null;
  const passed = judged.filter((row) => row.result.state === "pass").length;
  let told = found.length.toLocaleString("en") + " of " + rows.length.toLocaleString("en") + " results";
  if (judged.length) told += "; " + ((passed / judged.length) * 100).toFixed(1) + " % of " + judged.length.toLocaleString("en") + " judged ones pass";
  if (mean !== null) told += "; mean score " + mean.toFixed(1) + " of " + scored.length.toLocaleString("en") + " scored ones";
  byId("count").textContent = told;
  byId("more").hidden = found.length <= shown;
}

function refresh() {
  shown = PAGE;
  draw();
}

function drawStates() {
  for (const state of STATES) {
    const count = rows.filter((row) => row.result.state === state).length;
    if (!count) continue;
    const button = make("button", "", state.replace("_", " ") + " " + count.toLocaleString("en"));
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      if (!chosen.delete(state)) chosen.add(state);
      button.setAttribute("aria-pressed", String(chosen.has(state)));
      refresh();
    });
    byId("states").append(button);
  }
}

function drawHistogram() {
  const counts = new Array(10).fill(0);
  for (const row of rows) {
    const score = row.result.score;
    if (score !== undefined && score !== null) counts[Math.min(9, Math.floor(score / 10))] += 1;
  }
  const most = Math.max(...counts);
  if (!most) {
    byId("histogram").textContent = "No row has a score.";
    byId("histogram").className = "note";
    return;
  }
  counts.forEach((count, place) => {
    const low = place * 10;
    const high = place === 9 ? 100 : low + 9;
    const button = make("button", "", count ? count.toLocaleString("en") : "");
    button.type = "button";
    button.title = low + " to " + high + ": " + count;
    const bar = make("i");
    bar.style.height = (count / most) * 72 + "%";
    button.append(bar, make("span", "", low));
    button.addEventListener("click", () => {
      byId("low").value = low;
      byId("high").value = high;
      refresh();
    });
    byId("histogram").append(button);
  });
}

byId("filters").addEventListener("input", refresh);
byId("filters").addEventListener("submit", (event) => event.preventDefault());
byId("more").addEventListener("click", () => {
  shown += PAGE;
  draw();
});
drawStates();
drawHistogram();
draw();
