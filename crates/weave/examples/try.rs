use traceloom_weave::*;
fn main(){
 let a:Vec<String>=std::env::args().collect();
 let (dir,out,call)=(&a[1],&a[2],a[3].parse::<Call>().unwrap());
 let mut files=vec![];
 fn walk(d:&std::path::Path,f:&mut Vec<std::path::PathBuf>){for e in std::fs::read_dir(d).unwrap(){let p=e.unwrap().path(); if p.is_dir(){walk(&p,f)}else if p.extension().is_some_and(|e|e=="class"){f.push(p)}}}
 walk(std::path::Path::new(dir),&mut files); files.sort();
 let data:Vec<Vec<u8>>=files.iter().map(|f|std::fs::read(f).unwrap()).collect();
 let t=std::time::Instant::now();
 let mut id=0u32; let (mut i,mut o)=(0usize,0usize); let mut outs=vec![];
 for (f,b) in files.iter().zip(&data){
   let w=weave_class(b,&call,|_|{id+=1;Plan::Weave{id,text:id.to_string()}}).unwrap();
   for (m,l) in &w.left_out { if l.is_failure(){println!("{} {m} {l:?}",f.display())} }
   i+=b.len(); o+=w.bytes.as_ref().map_or(b.len(),|w|w.len());
   outs.push(w.bytes);
 }
 let e=t.elapsed().as_secs_f64();
 println!("{} classes {} methods {:.3}s {:.0}/s {}→{} {:.1}%",files.len(),id,e,files.len() as f64/e,i,o,(o as f64/i as f64-1.0)*100.0);
 for (f,w) in files.iter().zip(outs){ let p=std::path::Path::new(out).join(f.strip_prefix(dir).unwrap()); std::fs::create_dir_all(p.parent().unwrap()).unwrap(); if let Some(w)=w {std::fs::write(p,w).unwrap()} else if out!="-" {std::fs::copy(f,p).unwrap();} }
}
