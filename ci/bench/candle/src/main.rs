//! Computes embeddings of BERT with candle, for `encoder -beside`.
//!
//!     uform-bench-candle FOLDER
//!
//! Each line of the input is a batch of texts of one length: how many texts, then the ids of their
//! tokens, all separated by spaces. Each line of the output is the seconds of processor time of this
//! process for the batch, then the elements of the embeddings: means of rows, of unit length.
//! RAYON_NUM_THREADS=1 keeps candle on one thread.

use std::io::{self, BufRead, Write};
use std::path::Path;

use candle_core::{DType, Device, Error, Result, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).expect("the folder of a model");
    let folder = Path::new(&folder);
    let config: Config = serde_json::from_slice(&std::fs::read(folder.join("config.json"))?).map_err(Error::wrap)?;
    let weights = std::fs::read(folder.join("model.safetensors"))?;
    let variables = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu)?;
    let model = BertModel::load(variables, &config)?;
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut numbers = line.split(' ').map(|number| number.parse::<u32>().expect("a number"));
        let count = numbers.next().expect("the count of texts") as usize;
        let ids: Vec<u32> = numbers.collect();
        let begin = processor_time();
        let vectors = embed(&model, &ids, count)?;
        write!(output, "{}", processor_time() - begin)?;
        for element in vectors {
            write!(output, " {element}")?;
        }
        writeln!(output)?;
        output.flush()?;
    }
    Ok(())
}

fn embed(model: &BertModel, ids: &[u32], count: usize) -> Result<Vec<f32>> {
    let length = ids.len() / count;
    let ids = Tensor::from_slice(ids, (count, length), &Device::Cpu)?;
    let rows = model.forward(&ids, &ids.zeros_like()?, None)?;
    let means = (rows.sum(1)? / length as f64)?;
    let lengths = means.sqr()?.sum_keepdim(1)?.sqrt()?;
    means.broadcast_div(&lengths)?.flatten_all()?.to_vec1()
}

fn processor_time() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: time is valid for writes, and the clock is that of this process.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(failed, 0);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
